/** In place of `@wordpress/data`: what is done with a row of ours needs no store of WordPress. */
export const useRegistry = () => undefined
