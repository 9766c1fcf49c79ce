import { v7 as uuid } from 'uuid'
import type { Prisma, Site } from '../database/generated/client.ts'
import { storableText } from '../database/storable.ts'
import { GalleyError } from '../errors.ts'
import type { Keyring } from '../secrets/index.ts'
import { withoutSlash } from '../text.ts'
import { createClient } from '../wordpress/client/index.ts'
import { discover } from '../wordpress/discover/index.ts'
import type { SiteConnection } from '../wordpress/types.ts'
import { nameInMessages, passwordIdentity } from './connection.ts'
import { fitSettings } from './fit.ts'
import { asRefusal, type Proof, proveCredentials } from './prove.ts'
import type { SiteId, SiteRegistry } from './registry.ts'
import { gatherSettings, type NewSite, type SiteView } from './schema.ts'
import { siteView } from './view.ts'

/** A site that was found and whose credentials work; nothing of it is stored yet. */
export interface ProvedSite extends Proof {
  /** Without a trailing slash. */
  url: string
  /** The site's own title. */
  title: string
  connection: SiteConnection
}

/**
 * Connects a site: finds its REST root, proves the credentials, and only then stores anything.
 *
 * @throws GalleyError 422 with the code and sentence of what the site answered, or `SETTINGS_UNFIT`; 409
 *   `SITE_ID_TAKEN`
 */
export async function registerSite(
  registry: SiteRegistry,
  { accountId, ...wish }: NewSite & { accountId: string },
): Promise<SiteView> {
  const id = wish.id ?? uuid()
  await refuseTakenId(registry.prisma, { accountId, id })
  const proved = await proveSite(registry, wish)
  const { authorId } = await fitSettings(
    createClient(proved.connection, registry.outbound),
    gatherSettings(wish),
  )
  return siteView(
    await storeSite(registry.prisma, registry.keyring, { ...wish, accountId, id, proved, authorId }),
  )
}

/** @throws GalleyError 422 with the code and sentence of what the site answered */
export async function proveSite(
  { outbound }: Pick<SiteRegistry, 'outbound'>,
  wish: Pick<NewSite, 'url' | 'username' | 'application_password'>,
): Promise<ProvedSite> {
  const found = await asRefusal(() => discover(outbound, wish.url))
  const url = withoutSlash(found.home)
  const connection = {
    name: nameInMessages(url),
    restRoot: found.restRoot,
    username: wish.username,
    applicationPassword: wish.application_password,
  }
  return { url, title: found.name, connection, ...(await proveCredentials(connection, outbound)) }
}

type SiteToStore = Omit<NewSite, 'url' | 'username' | 'application_password'> & {
  accountId: string
  id: string
  proved: ProvedSite
  /** Whom `settings.author` names. */
  authorId?: number | null | undefined
}

/** Stores a proved site. @throws GalleyError 409 `SITE_ID_TAKEN` */
export async function storeSite(
  prisma: Prisma.TransactionClient,
  keyring: Keyring,
  { accountId, id, proved, authorId, ...wish }: SiteToStore,
): Promise<Site> {
  const { url, title, connection, passwordUuid } = proved
  const [row] = await prisma.site.createManyAndReturn({
    data: {
      id,
      accountId,
      name: storableText(wish.name ?? (title || connection.name)),
      url,
      restRoot: connection.restRoot,
      username: connection.username,
      applicationPassword: keyring.encrypt(
        connection.applicationPassword,
        passwordIdentity({ accountId, id }),
      ),
      passwordUuid,
      settings: gatherSettings(wish),
      authorId,
      labels: wish.labels,
    },
    // Whoever was first while the site was asked keeps the id.
    skipDuplicates: true,
  })
  if (row === undefined) throw idTaken(id)
  return row
}

/** @throws GalleyError 409 `SITE_ID_TAKEN` */
export async function refuseTakenId(prisma: Prisma.TransactionClient, site: SiteId): Promise<void> {
  if ((await prisma.site.count({ where: site })) > 0) throw idTaken(site.id)
}

const idTaken = (id: string) =>
  new GalleyError({
    code: 'SITE_ID_TAKEN',
    httpStatus: 409,
    message: `This account has a site under ${id} already. Change it with PATCH, or leave "id" out to have one made.`,
  })
