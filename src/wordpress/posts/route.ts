export interface PostRoute {
  /** The type's REST base: `posts`, `pages`, or a custom type's. */
  postType: string
}

export const route = ({ postType }: PostRoute, id?: number): string =>
  id === undefined ? `/wp/v2/${postType}` : `/wp/v2/${postType}/${id}`
