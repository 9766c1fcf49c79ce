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
}
