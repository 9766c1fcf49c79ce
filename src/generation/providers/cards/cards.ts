import { imageDimensions } from '../../../contract/generation/requests.ts'
import { loadSharp } from '../../../lib/sharp.ts'
import { excerpt } from '../../../lib/text.ts'
import { createWorkerThread } from '../../../lib/worker-threads.ts'
import { jobFailure } from '../../failure.ts'
import { type Named, providerIdentity } from '../access.ts'
import type { PictureProvider } from '../types.ts'

const NOTICE =
  'This picture is a typographic card that Galley set by itself: no image model made it, and the style and quality that were asked for do not apply. It shows the text in Latin, Greek and Cyrillic letters; a text in other letters is left out.'

/** Cards with the subject in large letters, set in this process: pictures where there is no model that makes them. */
export function cardPictures(access: Named): PictureProvider {
  const { name, model } = access
  return {
    ...providerIdentity(access),
    notice: NOTICE,
    cannot: ({ background }) =>
      background === 'transparent'
        ? 'a typographic card has a background of its own, so its background cannot be transparent'
        : undefined,
    async draw({ subject, size }, { signal }) {
      const sharp = await loadSharp()
      const svg = await drawCard({ text: subject, ...imageDimensions[size] }, signal).catch((cause) => {
        signal.throwIfAborted()
        throw jobFailure('INVALID_OUTPUT', `The provider ${name} could not set the card.`, { cause })
      })
      const body = await sharp(Buffer.from(svg)).png().toBuffer()
      return { provider: name, model, body }
    },
    read: async ({ body }) => Buffer.from(body),
  }
}

export interface CardTask {
  text: string
  width: number
  height: number
}

const TIMEOUT_MS = 30_000
const THREAD_HEAP_MB = 192

const MAX_CARD_TEXT = 140

const cardThread = createWorkerThread<CardTask, string>('draw-card', {
  timeoutMs: TIMEOUT_MS,
  heapMb: THREAD_HEAP_MB,
})

/** Sets a card in a thread of its own. @returns SVG, its letters as outlines */
const drawCard = ({ text, ...size }: CardTask, signal: AbortSignal): Promise<string> =>
  cardThread.run({ ...size, text: excerpt(printableText(text), MAX_CARD_TEXT) }, signal)

/** Without pictures among the letters, and what steers how text is shown. */
const printableText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(
      /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{Variation_Selector}|\p{C}/gu,
      ' ',
    )
    .split(/\s/u)
    .filter(Boolean)
    .join(' ')
