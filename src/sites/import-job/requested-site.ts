import type { Keyring, SealedColumn } from '../../secrets/index.ts'
import { type NewSite, newSiteSchema } from '../schema.ts'

/** What the site of a line is bound to in the database. */
const identityOf = (lineId: string): string => `site_import_line:${lineId}:requested`

/** The site that a line names, with its password, as it is kept until it is tried. */
export const sealRequested = (keyring: Keyring, lineId: string, site: NewSite): string =>
  keyring.encrypt(JSON.stringify(site), identityOf(lineId))

/** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export const openRequested = (keyring: Keyring, lineId: string, sealed: string): NewSite =>
  newSiteSchema.parse(JSON.parse(keyring.decrypt(sealed, identityOf(lineId))))

/** The sites of imports that are under way. */
export const siteImportSecrets: SealedColumn = {
  table: 'site_import_line',
  column: 'requested',
  key: ['id'],
  of: 'sites',
  read: (keyring, { id }, sealed) => keyring.decrypt(sealed, identityOf(id as string)),
  seal: (keyring, { id }, secret) => keyring.encrypt(secret, identityOf(id as string)),
}
