import type { CliCommand } from './options.ts'
import type { CliWorld } from './world.ts'

type Define = (command: CliCommand, world: CliWorld) => void

interface Row {
  summary: string
  /** Only the command that is asked for is loaded. */
  load(): Promise<Define>
}

/** Every command by its name, in the order in which help lists them. Each is a file in `commands`. */
export const commands: Record<string, Row> = {
  serve: {
    summary: 'start Galley, as npm start does',
    load: async () => (await import('./commands/installation.ts')).serve,
  },
  sites: {
    summary: 'connect, list, check, label and pause sites',
    load: async () => (await import('./commands/sites.ts')).sites,
  },
  deliver: {
    summary: 'deliver a document from a file to one or several sites',
    load: async () => (await import('./commands/documents.ts')).deliver,
  },
  bulk: {
    summary: 'do one thing to all deliveries or sites that match',
    load: async () => (await import('./commands/bulk.ts')).bulk,
  },
  imports: {
    summary: 'connect the sites of a file, as a job',
    load: async () => (await import('./commands/imports.ts')).imports,
  },
  export: {
    summary: 'export deliveries, sites or the audit log',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  preview: {
    summary: 'see what a document would become on a site',
    load: async () => (await import('./commands/documents.ts')).preview,
  },
  render: {
    summary: 'print the markup that a document becomes, without a server',
    load: async () => (await import('./commands/documents.ts')).render,
  },
  doctor: {
    summary: 'check this installation: database, keys, disk, clock, queue, address',
    load: async () => (await import('./commands/installation.ts')).doctor,
  },
  backup: {
    summary: 'back up the database, the files and the secret keys, while Galley runs',
    load: async () => (await import('./commands/installation.ts')).backup,
  },
  restore: {
    summary: 'restore a backup into a data folder or a database that holds nothing',
    load: async () => (await import('./commands/installation.ts')).restore,
  },
  secrets: {
    summary: 'change the keys that stored passwords are encrypted with, while Galley runs',
    load: async () => (await import('./commands/installation.ts')).secrets,
  },
  deliveries: {
    summary: 'see what became of documents, and deliver them again',
    load: async () => (await import('./commands/deliveries.ts')).deliveries,
  },
  sources: {
    summary: 'addresses for whoever sends documents',
    load: async () => (await import('./commands/sources.ts')).sources,
  },
  keys: { summary: 'API keys', load: async () => (await import('./commands/keys.ts')).keys },
  jobs: {
    summary: 'create documents, audio and images',
    load: async () => (await import('./commands/jobs.ts')).jobs,
  },
  completion: {
    summary: 'print the script for command completion in a shell',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
}
