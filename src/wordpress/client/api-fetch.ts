import * as module from '@wordpress/api-fetch'

/** The function. Its types describe the CommonJS build, where the default export is one level deeper. */
export const apiFetch = module.default as unknown as module.ApiFetch
