import { readFile } from 'node:fs/promises'
import type { PHPRequestHandler } from '@php-wasm/universal'
import { roles, type WordPress } from '../types.ts'
import { documentRoot } from './boot.ts'

/** Installs WordPress, with one user a role. */
export async function installWordPress(
  handler: PHPRequestHandler,
): Promise<Pick<WordPress, 'version' | 'users'>> {
  const php = await handler.getPrimaryPhp()
  const { text } = await php.run({
    code: await readFile(new URL('install.php', import.meta.url), 'utf8'),
    env: { DOCUMENT_ROOT: documentRoot, ROLES: JSON.stringify(roles) },
  })
  return JSON.parse(text)
}
