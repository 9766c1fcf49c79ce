import type { Command } from 'commander'

const loads = new WeakMap<Command, () => Promise<void>>()

/** Says how a command of the program gets the rest of itself. */
export const loadsBy = (command: Command, load: () => Promise<void>): void => void loads.set(command, load)

/** Gives a command of the program the rest of itself, once. */
export async function loaded(command: Command): Promise<void> {
  const load = loads.get(command)
  loads.delete(command)
  await load?.()
}
