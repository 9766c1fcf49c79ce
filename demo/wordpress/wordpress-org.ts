import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { run } from './run.ts'

/** The version that is judged against; a newer one is a deliberate step. */
export const release = '7.1.4'

const answerWithinMs = 5_000
const downloadWithinMs = 120_000

/**
 * Downloads WordPress from its own site into `work` and answers the folder it unpacked to.
 * @param site Base address, for tests.
 * @throws where the site cannot be reached within five seconds or answers something else than an archive.
 */
export async function downloadWordPress(work: string, site = 'https://wordpress.org'): Promise<string> {
  const archive = join(work, 'wordpress.tar.gz')
  await download(`${site}/wordpress-${release}.tar.gz`, archive)
  if (!(await isGzip(archive))) throw new Error(`${site} answered something else than an archive`)
  const unpacked = join(work, 'unpacked')
  await mkdir(unpacked)
  await run('tar', ['-xzf', archive, '-C', unpacked], { timeoutMs: 60_000 })
  return join(unpacked, 'wordpress')
}

async function download(url: string, file: string): Promise<void> {
  const patience = new AbortController()
  const timer = setTimeout(
    () => patience.abort(new Error(`no answer within ${answerWithinMs / 1000} s`)),
    answerWithinMs,
  )
  const signal = AbortSignal.any([patience.signal, AbortSignal.timeout(downloadWithinMs)])
  const response = await fetch(url, { signal })
    .catch((error) => {
      throw new Error(`${url}: ${error.cause?.message ?? error.message}`, { cause: error })
    })
    .finally(() => clearTimeout(timer))
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`)
  await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(file), { signal })
}

/** A page that asks to log in to the network answers 200 as well. */
async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.readUInt16BE() === 0x1f8b
  } finally {
    await handle.close()
  }
}
