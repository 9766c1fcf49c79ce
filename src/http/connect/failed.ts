import type { RequestHandler } from 'express'
import { unfinishedPage } from '../../connect/pages/failed.ts'
import { sendPage } from '../../pages/page.ts'
import type { Services } from '../services.ts'
import { addressesOf } from './browser.ts'
import { leftOverIn } from './left-over.ts'

/** GET /connect/{token}/failed: where an answer ends that Galley itself could not take. It asks nobody anything. */
export const failed =
  ({ config }: Pick<Services, 'config'>): RequestHandler<{ token: string }> =>
  (request, response) => {
    const again = addressesOf(config.publicUrl, request.params.token).ask
    sendPage(response, unfinishedPage({ again, leftOver: leftOverIn(request) }))
  }
