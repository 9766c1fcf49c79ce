import { createInterface } from 'node:readline/promises'
import { GalleyError } from '../src/errors.ts'

/**
 * The application password of `user`: from GALLEY_DEMO_PASSWORD, or typed on the terminal, unseen.
 * @throws GalleyError `demo_password_missing` where there is neither.
 */
export async function askPassword(user: string, site: string): Promise<string> {
  const given = process.env.GALLEY_DEMO_PASSWORD
  if (given) return given
  if (!process.stdin.isTTY) {
    throw new GalleyError({
      code: 'demo_password_missing',
      message: `There is no terminal to ask for the application password of ${user} on; set GALLEY_DEMO_PASSWORD.`,
    })
  }
  process.stdout.write(
    `Application password of ${user} (${new URL('/wp-admin/profile.php', site)}, "Application Passwords"): `,
  )
  // without an output, a terminal shows nothing of what is typed
  const terminal = createInterface({ input: process.stdin, terminal: true })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}
