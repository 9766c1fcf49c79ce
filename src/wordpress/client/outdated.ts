import { GalleyError } from '../../errors.ts'

/** Why a request was not sent: what it was decided by was seen too long ago. To be seen again, and decided anew. */
export class Outdated extends GalleyError {
  constructor() {
    super({
      code: 'outdated',
      message:
        'The request had to wait for so long that the post may have changed meanwhile. Galley looks at it again by itself.',
      fault: 'galley',
      action: 'retry',
    })
  }
}

export const isOutdated = (error: unknown): boolean => error instanceof Outdated
