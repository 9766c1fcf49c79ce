export { readLanguages } from './read.ts'
