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
      'This API key sees some sites of its account, so a receiver that it creates must name them: give "site_ids" with sites that it sees, and no "labels".',
  })

export const tooManyReceivers = (): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_RECEIVERS',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message: `This account has ${MOST_RECEIVERS} receivers, the most that an account may have. Remove one that is not needed, or change it.`,
  })

/** Nothing would ever arrive. */
export const noMail = (): GalleyError =>
  new GalleyError({
    code: 'MAIL_NOT_CONFIGURED',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message:
      'This Galley sends no mail: whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM. Until then, give a web address, which is sent a POST.',
  })

/** A receiver of mail stays one, and one of POSTs too. */
export const otherKind = (kind: 'webhook' | 'email'): GalleyError =>
  new GalleyError({
    code: 'OTHER_KIND',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message:
      kind === 'email'
        ? 'This receiver is sent mail: it has no secret, and its address begins with mailto:. Make another receiver for a web address.'
        : 'This receiver is sent POSTs: nothing is gathered for it, and its address is http or https. Make another receiver for mail.',
  })

/** Of mail: whoever has the address did not ask for it. */
export const tooManySamples = (): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_SAMPLES',
    httpStatus: 429,
    action: 'retry',
    retryAfterMs: 60_000,
    message: 'This receiver has reached its limit of mail for this minute. Wait a minute.',
  })
