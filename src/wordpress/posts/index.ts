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
export { statusChangedWarning, verifyFill } from './verify.ts'
export { fillPost, isPlaceholderContent, reservePost } from './write.ts'
