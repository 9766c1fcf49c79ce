import { GalleyError } from '../../errors.ts'

/** Why a request was not sent: what it was decided by was seen too long ago. To be seen again, and decided anew. */
export class Outdated extends GalleyError {
  constructor() {
    super({
      code: 'outdated',
      message:
        'The change waited so long before it was sent that the post may be different by now. Galley looks at the post again by itself.',
      fault: 'galley',
      action: 'retry',
    })
  }
}

export const isOutdated = (error: unknown): boolean => error instanceof Outdated
