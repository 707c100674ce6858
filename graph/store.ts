/**
 * The one door to everything that Tenure keeps: desired state with its history, service links, plans and what was
 * decided about them, documents, locks. A write is on the disk, in the journal, before it is acknowledged; the graph
 * database is the same content in a form that answers questions, and is rebuilt whenever it fails. One process owns a
 * data folder at a time.
 */
import { join } from "node:path";
import { type DataPaths, dataPaths } from "../runtime/paths.ts";
import { type BackupReport, writeBackup } from "./backup/write-backup.ts";
import { type CheckFinding, type CheckOptions, checkStore } from "./check.ts";
import { type DocumentStore, openDocumentStore } from "./documents/document-store.ts";
import { type SealedDocuments, openSealedDocuments } from "./documents/sealed-documents.ts";
import { type FileOperations, realFiles } from "./files.ts";
import { refuseWithoutSpace } from "./free-space.ts";
import { type PruneContext, type PruneReport, type PruneRequest, previewPrune, pruneHistory } from "./history/prune.ts";
import { type VerifyReport, verifyStore } from "./history/verify.ts";
import { type JournalOpening, openJournal } from "./journal/journal.ts";
import { type Locks, openLocks } from "./locks.ts";
import { createMutex } from "./mutex.ts";
import { acquireOwnerLock } from "./owner-lock.ts";
import { type StoreReads, createReads } from "./reads.ts";
import { type GraphEvent, openGraphDatabase } from "./start/graph-database.ts";
import { type CheckBasis, type StoreWrites, createWrites } from "./writes.ts";

export interface StoreOptions {
  readonly dataFolder: string;
  readonly clock?: () => Date;
  /** Decides whether a revision body is still valid; without it only bodies with an empty basis are safe to commit. */
  readonly checkBasis?: CheckBasis;
  /** Told of repairs at the start and of rebuilds later. */
  readonly report?: (event: GraphEvent) => void;
  readonly segmentBytes?: number;
  /** Free space below which writes and documents are refused (`no-space`). */
  readonly reserveBytes?: number;
  /** The database's write-ahead log is folded into its file beyond this size. */
  readonly checkpointBytes?: number;
  readonly files?: FileOperations;
}

export interface GraphStore extends StoreReads, StoreWrites {
  readonly paths: DataPaths;
  /** What opening the journal found: how many records, and whether a torn tail was cut. */
  readonly opening: JournalOpening;
  readonly documents: DocumentStore;
  readonly sealedDocuments: SealedDocuments;
  readonly locks: Locks;
  /** Tells a second opener where the API of this owner answers. */
  announce(api: string): Promise<void>;
  /** Invariants that do not hold; none when all is well. */
  check(): Promise<readonly CheckFinding[]>;
  /**
   * Drops old history: whole journal segments older than `before`, for which a snapshot stands from then on, and the
   * documents that nothing names and nobody put for 45 days. Writers and readers wait for the end. The same key drops
   * once. Errors: `no-space` where another graph like this one would find no room; `document-missing`, `document-damaged`, `snapshot-differs` before anything was dropped.
   */
  prune(request: PruneRequest): Promise<PruneReport>;
  /** What `prune` would drop; changes nothing. */
  previewPrune(before: Date): Promise<PruneReport>;
  /**
   * Copies journal, documents and ciphertexts (never the keys of secrets) into an empty folder while writes go on.
   * Errors: `not-empty`, `document-damaged`.
   */
  backup(folder: string): Promise<BackupReport>;
  /** Proves what opening did not: takes the snapshot that stands for dropped records again, and compares the graph. */
  verify(): Promise<VerifyReport>;
  /** Throws the graph file away and builds it from the journal. */
  rebuild(): Promise<void>;
  /** Lets running writes end, then gives the folder back. */
  close(): Promise<void>;
}

const DEFAULT_RESERVE_BYTES = 128 * 1024 * 1024;

/**
 * Opens a data folder, making it where there is none, and repairs what an abrupt end left behind. Errors:
 * `already-open` naming the owner; `journal-broken`, `journal-newer`, `graph-ahead` with the record's number, nothing
 * then being changed.
 */
export async function openStore(options: StoreOptions): Promise<GraphStore> {
  const files = options.files ?? realFiles;
  const clock = options.clock ?? (() => new Date());
  const report = options.report ?? (() => undefined);
  const paths = dataPaths(options.dataFolder);
  await files.makeFolder(paths.folder);
  const owner = await acquireOwnerLock({ lockFile: paths.ownerLock, infoFile: paths.ownerInfo, files, clock });
  /** Undone in reverse order, at the end or when a later step fails. */
  const closers: (() => Promise<void>)[] = [() => owner.release()];
  const closeAll = async () => {
    const failures: unknown[] = [];
    for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, "the store did not close cleanly");
  };

  try {
    const documents = await openDocumentStore(paths.documents, files);
    const journal = await openJournal({
      folder: paths.journal,
      files,
      clock,
      ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
    });
    closers.push(() => journal.close());
    const locks = await openLocks({ folder: paths.locks, files, clock });
    closers.push(() => locks.close());
    const graph = await openGraphDatabase({
      folder: paths.graph,
      journal,
      documents,
      files,
      report,
      checkpointBytes: options.checkpointBytes,
    });
    closers.push(() => graph.close());
    const reads = createReads(graph, documents);
    const reserveBytes = options.reserveBytes ?? DEFAULT_RESERVE_BYTES;
    const { writes, exclusive, writing, rebuild, record } = createWrites({
      dataFolder: paths.folder,
      journal,
      graph,
      documents,
      reads,
      clock,
      checkBasis: options.checkBasis,
      reserveBytes,
    });
    closers.push(() => exclusive(() => Promise.resolve()));
    const sealedDocuments = openSealedDocuments(paths.sealedDocuments, files);
    const room = () => refuseWithoutSpace(paths.folder, reserveBytes);
    /** Whoever reads the whole journal or changes its files takes its turn. */
    const upkeep = createMutex();
    closers.push(() => upkeep.run(() => Promise.resolve()));
    const checking: CheckOptions = { read: graph.read, journal, documents, exclusive };
    const pruning: PruneContext = {
      journal,
      graph: { read: graph.read, rebuild },
      documents,
      sealedDocuments,
      clock,
      record,
      isAnswered: async (key) => (await reads.answerTo("prune", key)) !== undefined,
    };
    return {
      ...reads,
      ...writes,
      paths,
      opening: journal.opening,
      documents: documentsWithRoom(documents, room),
      sealedDocuments: {
        ...sealedDocuments,
        async put(sealed, ciphertext) {
          await room();
          await sealedDocuments.put(sealed, ciphertext);
        },
      },
      locks,
      announce: (api) => owner.announce(api),
      check: () => upkeep.run(() => checkStore(checking)),
      prune: (request) =>
        upkeep.run(() =>
          writing(async () => {
            await refuseWithoutSpace(
              paths.folder,
              reserveBytes + ((await files.size(join(paths.graph, "graph.lbug"))) ?? 0),
            );
            return pruneHistory(pruning, request);
          }),
        ),
      previewPrune: (before) => upkeep.run(() => exclusive(() => previewPrune(pruning, before))),
      backup: (folder) =>
        upkeep.run(() =>
          writeBackup(
            {
              journal,
              documents,
              sealedDocuments,
              files,
              clock,
              exclusive,
              currentRevision: () => reads.currentRevision(),
            },
            folder,
          ),
        ),
      verify: () => upkeep.run(() => verifyStore(checking)),
      rebuild: () => upkeep.run(() => exclusive(() => rebuild("asked for"))),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** What a caller puts leaves the reserve to the journal and the graph; what a record needs is put all the same. */
function documentsWithRoom(documents: DocumentStore, room: () => Promise<void>): DocumentStore {
  return {
    ...documents,
    async put(content) {
      await room();
      return documents.put(content);
    },
    async putAll(contents) {
      await room();
      return documents.putAll(contents);
    },
  };
}
