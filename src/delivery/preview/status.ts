import type { DeliveryRequest } from '../../contract/webhook.ts'
import type { Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { failure } from '../../wordpress/failures/index.ts'
import type { CurrentUser } from '../../wordpress/types.ts'
import { held } from '../conflicts/holds.ts'
import { statusLowered } from '../steps/fill-as-allowed.ts'

export interface PlannedStatus {
  asked: DeliveryRequest['postStatus']
  /** Null where the delivery would be held. */
  result: DeliveryRequest['postStatus'] | null
}

/** The status the post would get, given what the user may. @throws GalleyError held, where the site says so */
export function planStatus(
  { name, settings }: DeliverySite,
  { capabilities }: CurrentUser,
  asked: DeliveryRequest['postStatus'],
  warnings: Warning[],
): PlannedStatus {
  const right = settings.post_type === 'pages' ? 'publish_pages' : 'publish_posts'
  if (asked !== 'publish' || capabilities[right]) return { asked, result: asked }
  if (settings.on_publish_refused === 'hold') {
    const context = { site: name, method: 'POST', doing: 'filling the post', subject: 'post' } as const
    const { code, message } = failure('cannot_publish', context, {})
    throw held(code, message)
  }
  warnings.push(statusLowered(name))
  return { asked, result: 'pending' }
}
