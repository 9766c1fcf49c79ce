export { readLanguages, type SiteLanguage } from './read.ts'
