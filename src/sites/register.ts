import { v7 as uuid } from 'uuid'
import { GalleyError } from '../errors.ts'
import { discover } from '../wordpress/discover/index.ts'
import { nameInMessages, passwordIdentity } from './connection.ts'
import { asRefusal, proveCredentials } from './prove.ts'
import type { SiteRegistry } from './registry.ts'
import { gatherSettings, type NewSite, type SiteView } from './schema.ts'
import { siteView } from './view.ts'

/**
 * Connects a site: finds its REST root, proves the credentials, and only then stores anything.
 *
 * @throws GalleyError 422 with the code and sentence of what the site answered; 409 `SITE_ID_TAKEN`
 */
export async function registerSite(
  { prisma, keyring, outbound }: SiteRegistry,
  { accountId, ...wish }: NewSite & { accountId: string },
): Promise<SiteView> {
  const id = wish.id ?? uuid()
  if ((await prisma.site.count({ where: { id } })) > 0) throw idTaken(id)
  const found = await asRefusal(() => discover(outbound, wish.url))
  const url = found.home.replace(/\/+$/, '')
  const { username, application_password: applicationPassword } = wish
  const connection = { name: nameInMessages(url), restRoot: found.restRoot, username, applicationPassword }
  const { passwordUuid } = await proveCredentials(connection, outbound)
  const [row] = await prisma.site.createManyAndReturn({
    data: {
      id,
      accountId,
      name: wish.name ?? (found.name || connection.name),
      url,
      restRoot: found.restRoot,
      username,
      applicationPassword: keyring.encrypt(applicationPassword, passwordIdentity(id)),
      passwordUuid,
      settings: gatherSettings(wish),
      labels: wish.labels,
    },
    // Whoever was first while the site was asked keeps the id.
    skipDuplicates: true,
  })
  if (row === undefined) throw idTaken(id)
  return siteView(row)
}

const idTaken = (id: string) =>
  new GalleyError({
    code: 'SITE_ID_TAKEN',
    httpStatus: 409,
    message: `A site is connected under ${id} already. Change it with PATCH, or leave "id" out to have one made.`,
  })
