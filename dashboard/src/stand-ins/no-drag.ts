/** In place of `@use-gesture/react`, 7 KB compressed: numbers are typed here, and not dragged larger or smaller. */
export const useDrag = () => () => ({})
