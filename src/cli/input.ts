import { readFile } from 'node:fs/promises'
import { hasCode } from '../errno.ts'
import { exitCodes } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import type { World } from './world.ts'

/**
 * What a file holds, or standard input for `-`.
 *
 * @throws CommandFailure where it cannot be read
 */
export async function readInput(world: World, file: string): Promise<string> {
  if (file === '-') return world.read()
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const [code, why] = hasCode(cause, 'ENOENT')
      ? [exitCodes.notFound, 'is not there']
      : [exitCodes.usage, `cannot be read: ${(cause as Error).message}`]
    throw new CommandFailure(code, 'file_unreadable', `The file ${file} ${why}.`, cause)
  }
}

/** A file as JSON. @throws CommandFailure */
export async function readJson(world: World, file: string): Promise<unknown> {
  const text = await readInput(world, file)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const name = file === '-' ? 'Standard input' : `The file ${file}`
    throw new CommandFailure(
      exitCodes.usage,
      'not_json',
      `${name} is not JSON: ${(cause as Error).message}`,
      cause,
    )
  }
}
