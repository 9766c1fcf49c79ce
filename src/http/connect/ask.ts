import type { RequestHandler } from 'express'
import { z } from 'zod'
import { openLink } from '../../connect/open-link.ts'
import { connectOptionsFor } from '../../connect/options.ts'
import { askPage } from '../../connect/pages/ask.ts'
import { sendPage } from '../../pages/page.ts'
import type { Services } from '../services.ts'
import { addressesOf, stateFor } from './browser.ts'
import { isPasswordOrphaned } from './failures.ts'

const problemSchema = z.object({ message: z.string() }).nullable()

/** GET /connect/{token}: the question. It gives the browser what its answer must carry. */
export const ask =
  ({ database, outbound, config }: Services): RequestHandler<{ token: string }> =>
  async (request, response) => {
    const { publicUrl } = config
    const link = await openLink(database.prisma, request.params.token)
    const addresses = addressesOf(publicUrl, link.token)
    const state = stateFor(request, response, { ...link, expiresAt: link.row.expiresAt, publicUrl })
    const options = await connectOptionsFor(
      outbound,
      { url: link.row.url, askedBy: link.askedBy },
      { approved: `${addresses.approved}?state=${state}`, rejected: `${addresses.rejected}?state=${state}` },
    )
    const problem = problemSchema.parse(link.row.problem)?.message
    sendPage(
      response,
      askPage({
        link,
        options,
        form: { action: addresses.ask, state },
        problem,
        orphanedPassword: isPasswordOrphaned(request),
      }),
    )
  }
