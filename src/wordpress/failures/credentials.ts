import type { GalleyError } from '../../errors.ts'
import type { FailureCode } from './catalogue.ts'

const REFUSED: ReadonlySet<string> = new Set<FailureCode>([
  'authorization_stripped',
  'password_wrong',
  'username_unknown',
  'application_passwords_off',
  'not_logged_in',
])

/** Whether a site took the credentials for wrong or for none, so that it will take them no better the next time. */
export const refusesCredentials = ({ code }: Pick<GalleyError, 'code'>): boolean => REFUSED.has(code)
