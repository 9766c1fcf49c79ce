/** In place of what DataViews has and the page does not offer: layouts, and filters that are added. */
export default () => null
