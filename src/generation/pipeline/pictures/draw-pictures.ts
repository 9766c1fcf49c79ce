import pMap from 'p-map'
import type { FeaturedImage } from '../../../contract/generation/results.ts'
import { excerpt } from '../../../text.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { PictureRequest } from '../../providers/types.ts'
import type { StepNeeds } from '../types.ts'
import { PARTS_OF_PICTURE, picture } from './picture.ts'
import { promptFor } from './prompt.ts'

/** A picture that a document is to have. */
export interface WantedPicture {
  /** The same in every attempt: `featured`, `section-2`. */
  name: string
  kind: 'featured' | 'section'
  /** What it shows. */
  subject: string
  /** What it shows, for who does not see it; the subject where it is empty. */
  alt: string
}

/** Of one document at the same time; a provider has its own limit besides. */
const AT_ONCE = 2

/** Characters of an alternative text: what a screen reader reads in one go. */
const LONGEST_ALT = 250

/**
 * Draws the pictures of a document. One of a section that a provider will never draw is left out, with a warning; without
 * its featured image a document fails.
 *
 * @returns the pictures there are, by their names
 * @throws GenerationError
 */
export async function drawPictures(
  run: JobRun<'document'>,
  needs: StepNeeds,
  wanted: readonly WantedPicture[],
): Promise<Record<string, FeaturedImage>> {
  await run.enter('images')
  await run.expect('images', wanted.length * PARTS_OF_PICTURE)
  const candidates = needs.providers.pictures(run.request.image.model)
  // All of them end before a failure of one is told: nothing goes on behind the back of who hears of it.
  const drawn = await pMap(
    wanted,
    async ({ name, kind, subject, alt }) => {
      const request = requestFor(subject, kind)
      try {
        const served = await picture(run, needs, {
          step: 'images',
          name: `picture-${name}`,
          candidates,
          request,
        })
        return { name, served: { ...served, alt: excerpt(alt.trim() || subject.trim(), LONGEST_ALT) } }
      } catch (error) {
        return { name, kind, error }
      }
    },
    { concurrency: AT_ONCE },
  )
  const pictures: Record<string, FeaturedImage> = {}
  for (const result of drawn) {
    if (result.served !== undefined) pictures[result.name] = result.served
    else if (result.kind === 'section' && isOfJob(result.error))
      run.warn({ code: 'picture_left_out', message: `A picture was left out. ${result.error.message}` })
    else throw result.error
  }
  return pictures
}

const isOfJob = (error: unknown): error is GenerationError =>
  error instanceof GenerationError && error.of === 'job'

/** A document says nothing of how its pictures look: they are what an image job makes by default, smaller to load. */
const requestFor = (subject: string, kind: WantedPicture['kind']): PictureRequest => {
  const look = { style: 'photograph', size: 'landscape', background: 'auto' } as const
  return {
    prompt: promptFor(subject, look),
    subject,
    size: look.size,
    quality: kind === 'featured' ? 'high' : 'medium',
    background: look.background,
    format: 'jpeg',
  }
}
