import { GalleyError } from '../../errors.ts'

interface DownloadFailure {
  action: 'retry' | 'permanent'
  happened: (url: string, seen: string) => string
  todo: string
}

/** A file that cannot be had. It is the document's trouble: the site it was meant for is well. */
export const downloadFailures = {
  picture_unreachable: {
    action: 'retry',
    happened: (url, seen) => `The picture ${url} cannot be fetched: ${seen}`,
    todo: 'Galley tries again; if it stays unavailable, give the document another picture.',
  },
  picture_missing: {
    action: 'permanent',
    happened: (url, seen) => `The picture ${url} is not there (${seen}).`,
    todo: 'Its address may have expired: send the document again with a fresh one.',
  },
  picture_not_an_image: {
    action: 'permanent',
    happened: (url, seen) => `${url} is not a picture that WordPress accepts: it is ${seen}.`,
    todo: 'Use a JPEG, PNG, GIF, WebP or AVIF in the document.',
  },
  picture_too_big: {
    action: 'permanent',
    happened: (url, seen) => `The picture ${url} is larger than ${seen}.`,
    todo: 'Use a smaller one in the document.',
  },
  audio_unreachable: {
    action: 'retry',
    happened: (url, seen) => `The narration ${url} cannot be fetched: ${seen}`,
    todo: 'Galley tries again; if it stays unavailable, generate the narration again.',
  },
  audio_missing: {
    action: 'permanent',
    happened: (url, seen) => `The narration ${url} is not there (${seen}).`,
    todo: 'Its address may have expired: send the document again with a fresh one.',
  },
  audio_not_audio: {
    action: 'permanent',
    happened: (url, seen) => `${url} is not a sound file that WordPress accepts: it is ${seen}.`,
    todo: 'Use mp3, opus in an Ogg file, or wav.',
  },
  audio_too_big: {
    action: 'permanent',
    happened: (url, seen) => `The narration ${url} is larger than ${seen}.`,
    todo: 'Use mp3 rather than wav, or a shorter text.',
  },
} satisfies Record<string, DownloadFailure>

export type DownloadFailureCode = keyof typeof downloadFailures

/** What refused the request for good, as an address that is not allowed, keeps refusing. */
const isPermanent = (cause: GalleyError | undefined) =>
  cause?.action === 'owner' || cause?.action === 'permanent'

export function downloadFailure(
  code: DownloadFailureCode,
  url: string,
  seen: string,
  cause?: GalleyError,
): GalleyError {
  const { action, happened: tell, todo } = downloadFailures[code]
  const happened = tell(url, seen)
  return new GalleyError({
    code,
    message: `${happened} ${todo}`,
    action: isPermanent(cause) ? 'permanent' : action,
    fault: 'delivery',
    httpStatus: 502,
    details: { happened, todo, url, seen },
    cause,
  })
}
