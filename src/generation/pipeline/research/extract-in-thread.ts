import { createThread } from '../../thread.ts'
import type { Extract, PageText } from './extract.ts'

/** Milliseconds; the largest page that is handed on takes one or two seconds, besides the start of the thread. */
const TIMEOUT_MS = 15_000

/** Megabytes: the tree of the largest page has some tens. */
const HEAP = 192

/** One for all documents of a process: pages are read one after another, each with all the memory there is. */
const thread = createThread<PageText, Extract>('read-page', { timeoutMs: TIMEOUT_MS, heapMb: HEAP })

/** `extract`, beside everything else. @throws Error as `Thread.ask` does */
export const extractInThread = (page: PageText, signal: AbortSignal): Promise<Extract> =>
  thread.ask(page, signal)
