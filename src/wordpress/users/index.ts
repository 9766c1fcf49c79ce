export { findUser, type SiteUser } from './find.ts'
