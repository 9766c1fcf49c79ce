import type { Command } from 'commander'
import type { World } from './world.ts'

/** Gives a command its arguments, options, examples and what it does. */
export type Define = (command: Command, world: World) => void

interface Row {
  /** A line for the list of commands. */
  summary: string
  /** Only the command that is asked for is loaded. */
  load(): Promise<Define>
}

/** Every command by its name, in the order in which help lists them. Each is a file in `commands`. */
export const commands: Record<string, Row> = {
  render: {
    summary: 'print the markup that a document becomes, without a server',
    load: async () => (await import('./commands/render.ts')).render,
  },
  backup: {
    summary: 'back up the database, the files and the secret keys, while Galley runs',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'restore a backup into a data folder or a database that holds nothing',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  secrets: {
    summary: 'change the keys that stored passwords are encrypted with, while Galley runs',
    load: async () => (await import('./commands/secrets.ts')).secrets,
  },
}
