import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from '../../outbound/index.ts'

/** A file that Galley made and keeps, as it is handed over by whoever keeps it. */
interface StoredFile {
  /** What it was made as. */
  type: string
  bytes: number
  /** Opens it, to see it pass. */
  open(): Promise<AsyncIterable<Buffer>>
  /** The whole of it, counted until it is released. */
  hold(): Promise<{ body: Buffer; release(): void }>
}

/**
 * The file that Galley itself keeps at this address; `gone` where the address is one of ours and names none any more;
 * undefined for any other address.
 */
export type FindStoredFile = (url: string) => Promise<StoredFile | 'gone' | undefined>

/** Where files of documents come from: what Galley keeps itself, and every other address. */
export interface FileSources {
  outbound: Outbound
  findStored: FindStoredFile
}

/** What is to be done with the bytes of a file: see {@link OutboundRequest}. */
export type Taking = Pick<OutboundRequest, 'hold' | 'onBody'>

/** A file of ours that is not there any more. Asking for it would find nothing, or be refused as an address of this machine. */
export class StoredFileGone extends Error {}

/** A file of ours that has more bytes than wanted. */
export class StoredFileTooBig extends Error {}

/**
 * A file that Galley keeps, read where it lies and told as a request would have told it. Its address may lead to this very
 * machine, where the outbound guard lets nothing through; and a request would take what is at hand on a long way.
 *
 * @returns undefined where the address is not one of ours
 * @throws StoredFileGone, StoredFileTooBig
 */
export async function readStoredFile(
  find: FindStoredFile,
  url: string,
  maxBytes: number,
  { onBody }: Taking,
): Promise<OutboundResponse | undefined> {
  const file = await find(url)
  if (file === undefined) return undefined
  if (file === 'gone') throw new StoredFileGone()
  if (file.bytes > maxBytes) throw new StoredFileTooBig()
  const told = { status: 200, headers: { 'content-type': file.type }, url }
  try {
    if (onBody === undefined) return { ...told, ...(await file.hold()) }
    for await (const piece of await file.open()) onBody(piece)
    return { ...told, body: Buffer.alloc(0) }
  } catch (error) {
    if (error instanceof GalleyError && error.action === 'permanent') throw new StoredFileGone()
    throw error
  }
}
