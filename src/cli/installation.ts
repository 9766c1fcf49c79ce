import { type Config, loadConfig } from '../config.ts'
import { createLog, type Logger } from '../log.ts'
import type { World } from './world.ts'

/** The settings of the Galley that is installed here; for commands that need no server. */
export const installation = (world: World): Config => loadConfig(world.env)

/** For a person, whose output is the answer and what goes wrong. */
export const silent = (): Logger => createLog({ logLevel: 'silent' })

/** A line that is written over while somebody watches, and not written where nobody does. */
export function progress(world: World, text: string): void {
  if (world.watched) world.note(text)
}
