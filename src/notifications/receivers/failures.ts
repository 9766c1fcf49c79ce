import { GalleyError } from '../../errors.ts'

/** Receivers that an account has at most: each of them makes every outcome of the account dearer. */
export const MOST_RECEIVERS = 50

/** No such receiver in this account, or none that this key sees. */
export const receiverUnknown = (id: string): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no receiver ${id}. GET /v1/receivers lists those it has.`,
  })

/** A key that sees some sites cannot have others told. */
export const beyondKey = (): GalleyError =>
  new GalleyError({
    code: 'RECEIVER_TOO_WIDE',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message:
      'This API key sees some sites of its account, so that a receiver which it makes must name them: give "site_ids" with sites that it sees, and no "labels".',
  })

export const tooManyReceivers = (): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_RECEIVERS',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message: `This account has ${MOST_RECEIVERS} receivers, which is as many as it may have. Remove one that is not needed, or change it.`,
  })
