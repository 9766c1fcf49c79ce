import { GenerationError } from '../failure.ts'

/** Words for what a file system says in codes, where a person can do something about it. */
const words: Record<string, string> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'its quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'Galley has no right to it',
  EPERM: 'Galley has no right to it',
  EMFILE: 'this process has too many files open',
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return words[code] ?? (code || (cause instanceof Error ? cause.name : 'it did not answer'))
}

/** The store fails: what was asked of it may be asked again, once its operator has put it right. */
export const storageFailed = (store: string, doing: string, cause: unknown): GenerationError =>
  new GenerationError({
    reason: 'STORAGE_FAILED',
    of: 'provider',
    message: `A file could not be ${doing}: ${store} failed (${reasonOf(cause)}). It is tried again; if this keeps happening, the operator of Galley has to look at it.`,
    cause,
  })

/** The file is not there any more, and asking again will not bring it back. */
export const fileGone = (cause?: unknown): GenerationError =>
  new GenerationError({
    reason: 'STORAGE_FAILED',
    of: 'job',
    message: 'A file that belongs to this is not in the storage any more. Ask for it to be created again.',
    cause,
  })

/** A file has more bytes than a row can say. */
export const fileTooLarge = (): GenerationError =>
  new GenerationError({
    reason: 'STORAGE_FAILED',
    of: 'job',
    message: 'A file became larger than 2 GB, which is more than Galley keeps. Ask for less.',
  })

/** Does `work` on a store, and says whose failure it is where it fails. */
export async function asking<Result>(
  store: string,
  doing: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof GenerationError ? cause : storageFailed(store, doing, cause)
  }
}
