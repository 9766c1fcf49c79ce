import { GalleyError } from '../../errors.ts'
import { truncate } from '../../lib/text.ts'

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
    happened: (url, seen) => `${url} is not a picture that WordPress and browsers show: it is ${seen}.`,
    todo: 'Use a JPEG, PNG, GIF, WebP or AVIF in the document.',
  },
  picture_not_decoded: {
    action: 'retry',
    happened: (url, seen) => `The picture ${url} could not be decoded: ${seen}.`,
    todo: 'Galley tries again; if it happens again, use a smaller one, or a JPEG or PNG, in the document.',
  },
  picture_too_big: {
    action: 'permanent',
    happened: (url, seen) => `The picture ${url} is larger than ${seen}.`,
    todo: 'Use a smaller one in the document.',
  },
  picture_too_many_pixels: {
    action: 'permanent',
    happened: (url, seen) => `The picture ${url} has ${seen}, more than Galley can process.`,
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
  file_unreachable: {
    action: 'retry',
    happened: (url, seen) => `The file ${url} cannot be fetched: ${seen}`,
    todo: 'Galley tries again; if it stays unavailable, give the document another address.',
  },
  file_missing: {
    action: 'permanent',
    happened: (url, seen) => `The file ${url} is not there (${seen}).`,
    todo: 'Its address may have expired: send the document again with a fresh one.',
  },
  file_not_accepted: {
    action: 'permanent',
    happened: (url, seen) => `${url} is not of a type that WordPress accepts here: it is ${seen}.`,
    todo: 'Use an MP4 or WebM for a film, and a PDF, an office document, a ZIP, a CSV or a text for a file.',
  },
  file_too_big: {
    action: 'permanent',
    happened: (url, seen) => `The file ${url} is larger than ${seen}.`,
    todo: 'Use a smaller one in the document, or raise max_picture_bytes of the site.',
  },
} satisfies Record<string, DownloadFailure>

export type DownloadFailureCode = keyof typeof downloadFailures

/** What refused the request for good, as an address that is not allowed, keeps refusing. */
const isPermanent = (cause: unknown) =>
  cause instanceof GalleyError && (cause.action === 'owner' || cause.action === 'permanent')

export function downloadFailure(
  code: DownloadFailureCode,
  url: string,
  seen: string,
  cause?: unknown,
): GalleyError {
  const { action: usual, happened: tell, todo: usualTodo } = downloadFailures[code]
  const action = isPermanent(cause) ? 'permanent' : usual
  const todo = action === usual ? usualTodo : 'Correct its address in the document.'
  const happened = tell(truncate(url, 200), seen)
  return new GalleyError({
    code,
    message: `${happened} ${todo}`,
    action,
    fault: 'delivery',
    httpStatus: 502,
    details: { happened, todo, url, seen },
    cause,
  })
}
