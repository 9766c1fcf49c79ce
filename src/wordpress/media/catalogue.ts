import { type Action, GalleyError, type Whose } from '../../errors.ts'

interface DownloadFailure {
  action: Action
  sentence: (url: string, seen: string) => string
}

/** A file that cannot be had. It is the document's trouble: the site it was meant for is well. */
export const downloadFailures = {
  picture_unreachable: {
    action: 'retry',
    sentence: (url, seen) => `The picture ${url} cannot be fetched: ${seen}`,
  },
  picture_missing: {
    action: 'permanent',
    sentence: (url, seen) => `The picture ${url} is not there (${seen}). Its address may have expired.`,
  },
  picture_not_an_image: {
    action: 'permanent',
    sentence: (url, seen) => `${url} is not a picture that WordPress takes: it is ${seen}.`,
  },
  picture_too_big: {
    action: 'permanent',
    sentence: (url, seen) => `The picture ${url} is larger than ${seen}.`,
  },
  audio_unreachable: {
    action: 'retry',
    sentence: (url, seen) => `The narration ${url} cannot be fetched: ${seen}`,
  },
  audio_missing: {
    action: 'permanent',
    sentence: (url, seen) => `The narration ${url} is not there (${seen}). Its address may have expired.`,
  },
  audio_not_audio: {
    action: 'permanent',
    sentence: (url, seen) => `${url} is not a sound file that WordPress takes: it is ${seen}.`,
  },
  audio_too_big: {
    action: 'permanent',
    sentence: (url, seen) => `The narration ${url} is larger than ${seen}.`,
  },
} satisfies Record<string, DownloadFailure>

export type DownloadFailureCode = keyof typeof downloadFailures

export function downloadFailure(
  code: DownloadFailureCode,
  url: string,
  seen: string,
  cause?: GalleyError,
): GalleyError {
  const { action, sentence } = downloadFailures[code]
  const whose: Whose = 'delivery'
  const retryAfterMs = cause?.retryAfterMs
  return new GalleyError({
    code,
    message: sentence(url, seen),
    action: cause?.action === 'owner' || cause?.action === 'permanent' ? 'permanent' : action,
    whose,
    httpStatus: 502,
    details: { url, seen },
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}
