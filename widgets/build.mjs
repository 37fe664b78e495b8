/* Bundles each src/<widget>/index.ts, with its index.css if there is one, into
 * minitf_widgets/static/<widget>.js and <widget>.css.
 *
 * The results are committed, so that `pip install` needs no node; the same sources always give the
 * same bytes, so that a check can rebuild them and ask for no difference. `--watch` rebuilds on
 * every save (with ANYWIDGET_HMR=1 the open notebook follows).
 */
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const entries = readdirSync(`${here}src`)
  .filter((name) => existsSync(`${here}src/${name}/index.ts`))
  .sort()
  .flatMap((name) =>
    ["ts", "css"]
      .map((kind) => ({ in: `src/${name}/index.${kind}`, out: name }))
      .filter((entry) => existsSync(here + entry.in)),
  );

const options = {
  absWorkingDir: here,
  entryPoints: entries,
  outdir: "minitf_widgets/static",
  bundle: true,
  format: "esm",
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
  minify: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "info",
};

if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
