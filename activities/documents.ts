/** Documents as activities use them; they live beside the store, since the API reads the same ones. */
export {
  DocumentError,
  type ReadDocument,
  SchemaCache,
  canonicalText,
  compileModuleSet,
  contentText,
  must,
  readFormat,
  readObservation,
  treeOfContent,
} from "../graph/documents/typed-documents.ts";
