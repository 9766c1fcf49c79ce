import { buffer } from 'node:stream/consumers'
import type { Lane } from '../../bytes/index.ts'
import type { ServedFile, Storage } from './types.ts'

/** A file of ours for whoever delivers it, who knows nothing of where it lies. */
export interface StoredFile extends Pick<ServedFile, 'type' | 'bytes' | 'open'> {
  /** The whole of it, counted until it is released. @throws GalleyError `memory_busy`, `STORAGE_FAILED` */
  hold(): Promise<{ body: Buffer; release(): void }>
}

/**
 * Finds the files of a storage by their addresses.
 *
 * @param lane what those that are held count against
 */
export const storedFileFinder =
  (storage: Storage, lane: Lane) =>
  async (url: string): Promise<StoredFile | 'gone' | undefined> => {
    const file = await storage.own(url)
    if (file === undefined || file === 'gone') return file
    const hold = async () => {
      const share = await lane.take(file.bytes)
      try {
        return { body: await buffer(await file.open()), release: () => share.release() }
      } catch (error) {
        share.release()
        throw error
      }
    }
    return { type: file.type, bytes: file.bytes, open: file.open, hold }
  }
