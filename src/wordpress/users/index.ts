export { findUser } from './find.ts'
