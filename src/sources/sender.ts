import { GalleyError } from '../errors.ts'
import { notStored } from '../webhook/not-stored.ts'
import { withinPatience } from '../webhook/within.ts'
import type { KnownSource, SourceLookup } from './lookup.ts'

/** Who sends a webhook, by the token in its address, as known before its body is read. */
export interface Sender {
  token: string
  source: KnownSource
  /** When that was looked up, as `performance.now()` counts. */
  knownAt: number
}

/** Milliseconds after which a sender is looked up again: its body took its time, and the source may have ended since. */
const KNOWN_FOR_MS = 1_000

/**
 * Finds out who sends, before anything of what is sent is read.
 *
 * @throws GalleyError 404 `SOURCE_UNKNOWN`, 503 `NOT_STORED` when the database does not say
 */
export async function knowSender({ sources }: { sources: SourceLookup }, token: string): Promise<Sender> {
  const knownAt = performance.now()
  let source: KnownSource | null
  try {
    // The batcher keeps time for itself.
    source = await withinPatience(sources.byToken(token))
  } catch (cause) {
    throw notStored(cause)
  }
  if (source === null) throw sourceUnknown()
  return { token, source, knownAt }
}

/** The sender as it is now. @throws GalleyError as {@link knowSender} */
export const knownStill = async (parts: { sources: SourceLookup }, sender: Sender): Promise<KnownSource> =>
  performance.now() - sender.knownAt < KNOWN_FOR_MS
    ? sender.source
    : (await knowSender(parts, sender.token)).source

export const sourceUnknown = (): GalleyError =>
  new GalleyError({
    code: 'SOURCE_UNKNOWN',
    message:
      'No source has this webhook address. Copy it again from where the source was created, or create a new one.',
    httpStatus: 404,
  })
