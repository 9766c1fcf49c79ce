import { GalleyError } from '../../errors.ts'

/** Why a request was not sent: what it was decided by was seen too long ago. To be seen again, and decided anew. */
export class Outdated extends GalleyError {
  constructor() {
    super({
      code: 'outdated',
      message:
        'Galley could not send this change for a while, and the post may have been edited since. Galley checks the post again by itself.',
      fault: 'galley',
      action: 'retry',
    })
  }
}

export const isOutdated = (error: unknown): boolean => error instanceof Outdated
