/* The entry of Live and Monitor: what minitf_widgets/live/live.py loads. */
import { render } from "./page";

export default { render };
