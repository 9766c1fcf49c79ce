import type { Readable } from 'node:stream'
import type { Spooled } from './spool.ts'
import type { ByteRange } from './types.ts'

/** Where bytes lie, by a name that says nothing of them: one folder, or one bucket. It knows nothing of rows. */
export interface Blobs {
  /**
   * Takes a file that was written whole. Resolves when it is there for good; before, it is not there at all.
   *
   * @throws GenerationError `STORAGE_FAILED`
   */
  place(name: string, spooled: Spooled): Promise<void>
  /** @throws GenerationError `STORAGE_FAILED` where it is not there, or has not as many bytes as it had */
  open(name: string, bytes: number, range?: ByteRange): Promise<Readable>
  /** Removes it. One that is gone already is no failure. @throws GenerationError `STORAGE_FAILED` */
  remove(name: string): Promise<void>
}
