export {
  fetchTimedPost,
  findDraftsByTitle,
  findPostsByMarker,
  findPostsBySlug,
  findPostVariants,
  getPost,
  isDerivedTitle,
  isSameTitle,
  type TimedPost,
} from './find.ts'
export { deletePost, refusesStatus, unfinishedStatuses } from './requests.ts'
export { isReservedSlug, isSameSlug, reachableSlug } from './slugs.ts'
export {
  findEditor,
  POSTS_PER_READ,
  readStandingPosts,
  type StandingPost,
  scheduleMissed,
} from './standing.ts'
export { statusChangedWarning, verifyFill } from './verify.ts'
export { fillPost, isEmptyPost, isPlaceholderContent, reservePost, trashPost } from './write.ts'
