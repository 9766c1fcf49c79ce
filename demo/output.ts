/** Takes one line about what is going on, for a person who waits. */
export type Log = (line: string) => void

/** Prints one event: who or which step, and what happened. */
export type Show = (who: string, what: string) => void

const began = Date.now()

/** Prints a line with the seconds since the demo began. */
export function printLine(line: string): void {
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${seconds.padStart(5)} s  ${line}`)
}

export const show: Show = (who, what) => printLine(`${who.padEnd(15)} ${what}`)

const firstAfterMs = 2_000
const thenEveryMs = 10_000

/** Waits for `work`. Logs what it waits for after two seconds, and every ten seconds from then on. */
export async function waitingFor<T>(what: string, log: Log, work: Promise<T>): Promise<T> {
  const since = Date.now()
  const tell = () => {
    log(`${what}: ${Math.round((Date.now() - since) / 1000)} s so far`)
    timer = setTimeout(tell, thenEveryMs)
  }
  let timer = setTimeout(tell, firstAfterMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The last lines: the post's addresses and the login.
 *
 * @param site its `password` is that of the log-in page; undefined for a WordPress that the demo did not make
 * @param stays whether everything stays up until Ctrl-C
 */
export function ending(
  site: { url: string; user: string; password?: string },
  post: { url: string; edit_url: string },
  stays: boolean,
): string {
  const lines = ['', `Post    ${post.url}`, `Edit    ${post.edit_url}`]
  if (site.password !== undefined && stays)
    lines.push(`Log in  ${site.url}/wp-login.php as ${site.user} with the password ${site.password}`)
  if (site.password !== undefined && !stays)
    lines.push('This WordPress ends now. Without --once it stays up until Ctrl-C, with a login.')
  if (stays) lines.push('', 'Ctrl-C ends everything.')
  return lines.join('\n')
}
