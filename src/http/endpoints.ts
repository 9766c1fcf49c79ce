import type { Endpoint } from './endpoint.ts'
import { accountEndpoints } from './routers/account.ts'
import { accountsEndpoints } from './routers/accounts.ts'
import { auditEndpoints } from './routers/audit.ts'
import { connectLinkEndpoints } from './routers/connect-links.ts'
import { deliveryEndpoints } from './routers/deliveries.ts'
import { deliveryListEndpoints } from './routers/delivery-lists.ts'
import { directDeliveryEndpoints } from './routers/direct-deliveries.ts'
import { eventEndpoints } from './routers/events.ts'
import { generationEndpoints } from './routers/generation.ts'
import { keyEndpoints } from './routers/keys.ts'
import { notificationEndpoints } from './routers/notifications.ts'
import { previewEndpoints } from './routers/preview.ts'
import { receiverEndpoints } from './routers/receivers.ts'
import { siteCheckEndpoints } from './routers/site-checks.ts'
import { siteImportEndpoints } from './routers/site-import.ts'
import { siteListEndpoints } from './routers/site-lists.ts'
import { sitePauseEndpoints } from './routers/site-pause.ts'
import { siteEndpoints } from './routers/sites.ts'
import { sourceEndpoints } from './routers/sources.ts'
import type { Services } from './services.ts'

/** Every described call of the API, from which routes, OpenAPI and the table of rights are made. */
export const allEndpoints = (services: Services): Endpoint[] => [
  ...siteCheckEndpoints(services),
  ...siteImportEndpoints(services),
  ...previewEndpoints(services),
  ...siteListEndpoints(services),
  ...siteEndpoints(services),
  ...sitePauseEndpoints(services),
  ...connectLinkEndpoints(services),
  ...sourceEndpoints(services),
  ...eventEndpoints(services),
  ...deliveryListEndpoints(services),
  ...deliveryEndpoints(services),
  ...directDeliveryEndpoints(services),
  ...generationEndpoints(services),
  ...accountEndpoints(services),
  ...notificationEndpoints(services),
  ...receiverEndpoints(services),
  ...keyEndpoints(services),
  ...auditEndpoints(services),
  ...accountsEndpoints(services),
]
