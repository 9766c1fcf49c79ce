import { Router } from 'express'

/**
 * A router that knows each address in one spelling. What is close to an address is none: nothing that names routes by
 * how they are written (log, metrics, limits, a proxy in front) then sees another route than the one that answers.
 */
export const strictRouter = (): Router => Router({ caseSensitive: true, strict: true })
