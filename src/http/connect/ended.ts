import type { RequestHandler } from 'express'
import { noteRejection } from '../../connect/connect.ts'
import { openLink } from '../../connect/open-link.ts'
import { endedPages } from '../../connect/pages/ended.ts'
import { unfinishedPage } from '../../connect/pages/failed.ts'
import { rejectedPage } from '../../connect/pages/rejected.ts'
import { stateFits } from '../../connect/state.ts'
import { sendPage } from '../../pages/page.ts'
import { nameInMessages } from '../../sites/connection.ts'
import type { Services } from '../services.ts'
import { addressesOf, nonceOf } from './browser.ts'
import { isPasswordOrphaned } from './failures.ts'

// Where an answer ends that connected nothing.

/** GET /connect/{token}/rejected: the owner's no, from WordPress. */
export const rejected =
  ({ database, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const link = await openLink(database.prisma, request.params.token)
    const addresses = addressesOf(config.publicUrl, link.token)
    if (!stateFits(request.query.state, link.token, nonceOf(request)))
      return response.redirect(303, addresses.refused)
    await noteRejection(database, link)
    const page = rejectedPage({
      site: nameInMessages(link.row.url),
      askedBy: link.askedBy,
      again: addresses.ask,
      // WordPress's own "Go back", where it could not even ask.
      disabled: request.query.error === 'disabled',
    })
    sendPage(response, page)
  }

/** GET /connect/{token}/refused: where an answer ends that does not belong to this link and this browser. */
export const refused: RequestHandler<{ token: string }> = (_request, response) =>
  sendPage(response, endedPages.CONNECT_STATE_WRONG)

/** GET /connect/{token}/failed: where an answer ends that Galley itself could not take. It asks nobody anything. */
export const failed =
  ({ config }: Pick<Services, 'config'>): RequestHandler<{ token: string }> =>
  (request, response) => {
    const again = addressesOf(config.publicUrl, request.params.token).ask
    sendPage(response, unfinishedPage({ again, orphanedPassword: isPasswordOrphaned(request) }))
  }
