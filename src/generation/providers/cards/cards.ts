import { imageDimensions } from '../../../contract/generation/choices.ts'
import { GenerationError } from '../../failure.ts'
import type { Access } from '../access.ts'
import type { PictureProvider } from '../types.ts'
import { setCard } from './card.ts'

const NOTICE =
  'This picture is a typographic card that Galley set by itself: no image model made it, and the style and quality that were asked for do not apply. It shows the text in Latin, Greek and Cyrillic letters; a text in other letters is left out.'

type Cards = Pick<Access, 'name' | 'model' | 'concurrency'>

/** Cards with the subject in large letters, set in this process: pictures where there is no model that makes them. */
export function cards({ name, model, concurrency }: Cards): PictureProvider {
  return {
    name,
    model,
    concurrency,
    notice: NOTICE,
    cannot: ({ background }) =>
      background === 'transparent'
        ? 'a typographic card has a background of its own, so its background cannot be transparent'
        : undefined,
    async draw({ subject, size }, { signal }) {
      const { default: sharp } = await import('sharp')
      const svg = await setCard({ text: subject, ...imageDimensions[size] }, signal).catch((cause) => {
        signal.throwIfAborted()
        throw new GenerationError({
          reason: 'INVALID_OUTPUT',
          of: 'job',
          message: `The provider ${name} could not set the card.`,
          cause,
        })
      })
      const body = await sharp(Buffer.from(svg)).png().toBuffer()
      return { provider: name, model, body, contentType: 'image/png' }
    },
    read: async ({ body }) => ({ bytes: Buffer.from(body) }),
  }
}
