import type { RequestHandler } from 'express'
import { findLink, linkUnusable } from '../../connect/open-link.ts'
import { connectedPage } from '../../connect/pages/connected.ts'
import { stateFits } from '../../connect/state.ts'
import { sendPage } from '../../pages/page.ts'
import { nameInMessages } from '../../sites/connection.ts'
import { currentReport } from '../../sites/health/report.ts'
import type { Services } from '../services.ts'
import { addressesOf, nonceOf } from './browser.ts'

/** How long the page waits for the doctor before it does without, in milliseconds. */
const PATIENCE_MS = 90_000

/** GET /connect/{token}/connected: for the browser that did it; to any other, the link is just used. */
export const connected =
  ({ database: { prisma }, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { token, row } = await findLink(prisma, request.params.token)
    if (
      !stateFits(request.query.state, token, nonceOf(request)) ||
      row.siteId === null ||
      row.usedAt === null
    )
      return response.redirect(303, addressesOf(config.publicUrl, token).ask)
    const site = await prisma.site.findFirst({ where: { id: row.siteId, accountId: row.accountId } })
    if (site === null) throw linkUnusable('used')
    const waiting = Date.now() - row.usedAt.getTime() < PATIENCE_MS
    const { username, url } = site
    sendPage(
      response,
      connectedPage({
        site: { name: nameInMessages(url), url, username },
        report: currentReport(site) ?? (waiting ? 'waiting' : null),
      }),
    )
  }
