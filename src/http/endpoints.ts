import type { Endpoint } from './endpoint.ts'
import type { Services } from './services.ts'

type Endpoints = (services: Services) => Endpoint[]

/**
 * The routers of the API, each with the first words of the paths that it answers (`/v1/sites/…`: `sites`) and the way to
 * load it. Their schemas are half of the schemas in Galley: one that nobody asks costs neither time at the start nor memory.
 */
const routers: [words: string[], load: () => Promise<Endpoints>][] = [
  [['sites'], async () => (await import('./routers/site-checks.ts')).siteCheckEndpoints],
  [['sites'], async () => (await import('./routers/imports.ts')).siteImportEndpoints],
  [['sites'], async () => (await import('./routers/previews.ts')).previewEndpoints],
  [['sites'], async () => (await import('./routers/sites.ts')).siteListEndpoints],
  [['sites'], async () => (await import('./routers/sites.ts')).siteEndpoints],
  [['sites'], async () => (await import('./routers/sites.ts')).siteChoiceEndpoints],
  [['sites'], async () => (await import('./routers/styles.ts')).siteStylesEndpoints],
  [['sites'], async () => (await import('./routers/sites.ts')).sitePauseEndpoints],
  [['imports'], async () => (await import('./routers/imports.ts')).importEndpoints],
  [['preview'], async () => (await import('./routers/previews.ts')).previewMatrixEndpoints],
  [['connect-links'], async () => (await import('./routers/connect-links.ts')).connectLinkEndpoints],
  [['sources'], async () => (await import('./routers/sources.ts')).sourceEndpoints],
  [['events'], async () => (await import('./routers/sources.ts')).eventEndpoints],
  [['deliveries', 'causes'], async () => (await import('./routers/deliveries.ts')).deliveryListEndpoints],
  [['deliveries'], async () => (await import('./routers/deliveries.ts')).deliveryEndpoints],
  [['deliveries'], async () => (await import('./routers/deliveries.ts')).deliveryEditsEndpoints],
  [['deliveries'], async () => (await import('./routers/deliveries.ts')).directDeliveryEndpoints],
  [['bulk'], async () => (await import('./routers/bulk.ts')).bulkEndpoints],
  [['document', 'audio', 'image'], async () => (await import('./routers/jobs.ts')).generationEndpoints],
  [['jobs'], async () => (await import('./routers/jobs.ts')).jobEndpoints],
  [['account'], async () => (await import('./routers/accounts.ts')).accountEndpoints],
  [
    ['account', 'notifications'],
    async () => (await import('./routers/notifications.ts')).notificationEndpoints,
  ],
  [['receivers'], async () => (await import('./routers/notifications.ts')).receiverEndpoints],
  [['stream'], async () => (await import('./routers/stream.ts')).streamEndpoints],
  [['keys'], async () => (await import('./routers/keys.ts')).keyEndpoints],
  [['session'], async () => (await import('./routers/keys.ts')).sessionEndpoints],
  [['audit'], async () => (await import('./routers/accounts.ts')).auditEndpoints],
  [['accounts'], async () => (await import('./routers/accounts.ts')).accountsEndpoints],
]

/** The first words of the paths that the API answers. */
export const routedWords: ReadonlySet<string> = new Set(routers.flatMap(([words]) => words))

/** `sites` of `/v1/sites/check`; undefined for what is no call of the API. */
export const firstSegment = (path: string): string | undefined => /^\/v1\/([a-z-]+)(?:\/|$)/.exec(path)?.[1]

/** The described calls whose paths begin with this word. */
export async function loadEndpoints(word: string, services: Services): Promise<Endpoint[]> {
  const answering = routers.filter(([words]) => words.includes(word))
  const loaded = await Promise.all(answering.map(([, load]) => load()))
  return loaded.flatMap((endpoints) => endpoints(services)).filter(({ path }) => firstSegment(path) === word)
}

/** Every described call of the API, from which routes, OpenAPI and the table of rights are made. */
export async function loadAllEndpoints(services: Services): Promise<Endpoint[]> {
  const loaded = await Promise.all(routers.map(([, load]) => load()))
  return loaded.flatMap((endpoints) => endpoints(services))
}
