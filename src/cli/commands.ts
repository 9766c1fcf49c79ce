import type { CliCommand } from './options.ts'
import type { CliWorld } from './world.ts'

type Define = (command: CliCommand, world: CliWorld) => void

interface Row {
  summary: string
  load(): Promise<Define>
}

/** Only the file of the command that is asked for is loaded. @param name what it exports */
const row = <Name extends string>(
  summary: string,
  file: () => Promise<Record<Name, Define>>,
  name: Name,
): Row => ({ summary, load: async () => (await file())[name] })

const bulk = () => import('./commands/bulk.ts')
const completion = () => import('./commands/completion.ts')
const deliveries = () => import('./commands/deliveries.ts')
const documents = () => import('./commands/documents.ts')
const exports = () => import('./commands/export.ts')
const imports = () => import('./commands/imports.ts')
const installation = () => import('./commands/installation.ts')
const jobs = () => import('./commands/jobs.ts')
const keys = () => import('./commands/keys.ts')
const sites = () => import('./commands/sites.ts')
const sources = () => import('./commands/sources.ts')

/** Every command by its name, in the order in which help lists them. */
export const commands: Record<string, Row> = {
  serve: row('start Galley, as npm start does', installation, 'serve'),
  sites: row('connect, list, check, label and pause sites', sites, 'sites'),
  deliver: row('deliver a document from a file to one or several sites', documents, 'deliver'),
  bulk: row('do one thing to all deliveries or sites that match', bulk, 'bulk'),
  imports: row('connect the sites of a file, as a job', imports, 'imports'),
  export: row('export deliveries, sites or the audit log', exports, 'exportCommand'),
  preview: row('see what a document would become on a site', documents, 'preview'),
  render: row('print the markup that a document becomes, without a server', documents, 'render'),
  doctor: row('check this installation: database, keys, disk, clock, queue, address', installation, 'doctor'),
  backup: row(
    'back up the database, the files and the secret keys, while Galley runs',
    installation,
    'backup',
  ),
  restore: row(
    'restore a backup into a data folder or a database that holds nothing',
    installation,
    'restore',
  ),
  secrets: row(
    'change the keys that stored passwords are encrypted with, while Galley runs',
    installation,
    'secrets',
  ),
  deliveries: row('see what became of documents, and deliver them again', deliveries, 'deliveries'),
  sources: row('addresses for whoever sends documents', sources, 'sources'),
  keys: row('API keys', keys, 'keys'),
  jobs: row('create documents, audio and images', jobs, 'jobs'),
  completion: row('print the script for command completion in a shell', completion, 'completion'),
}
