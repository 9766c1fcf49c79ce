import type { RequestHandler } from 'express'
import { endedPages } from '../../connect/pages/ended.ts'
import { sendPage } from '../../pages/page.ts'

/** GET /connect/{token}/refused: where an answer ends that does not belong to this link and this browser. */
export const refused: RequestHandler<{ token: string }> = (_request, response) =>
  sendPage(response, endedPages.CONNECT_STATE_WRONG)
