// Published figures: Mao et al. (2019) for GCN and convolutional sequence-to-sequence (Li et al.
// 2018), Zhang et al. (2023) for FGNN.
#include "fgnn/experiments/motion/paper.h"

namespace fgnn::motion {
namespace {

constexpr double kNone = -1;

// clang-format off
const PublishedRow kCmuAngleGcn[] = {
    {"basketball", {0.33, 0.52, 0.89, 1.06, kNone, 1.71}},
    {"basketball_signal", {0.11, 0.20, 0.41, 0.53, kNone, 1.00}},
    {"directing_traffic", {0.15, 0.32, 0.52, 0.60, kNone, 2.00}},
    {"jumping", {0.31, 0.49, 1.23, 1.39, kNone, 1.80}},
    {"running", {0.33, 0.55, 0.73, 0.74, kNone, 0.95}},
    {"soccer", {0.18, 0.29, 0.61, 0.71, kNone, 1.40}},
    {"walking", {0.33, 0.45, 0.49, 0.53, kNone, 0.61}},
    {"washwindow", {0.22, 0.33, 0.57, 0.75, kNone, 1.20}},
    {"mean", {0.25, 0.39, 0.68, 0.79, kNone, 1.33}},
};
const PublishedRow kCmuAngleConv[] = {
    {"basketball", {0.37, 0.62, 1.07, 1.18, kNone, 1.95}},
    {"basketball_signal", {0.32, 0.59, 1.04, 1.24, kNone, 1.96}},
    {"directing_traffic", {0.25, 0.56, 0.89, 1.00, kNone, 2.04}},
    {"jumping", {0.39, 0.60, 1.36, 1.56, kNone, 2.01}},
    {"running", {0.28, 0.41, 0.52, 0.57, kNone, 0.67}},
    {"soccer", {0.26, 0.44, 0.75, 0.87, kNone, 1.56}},
    {"walking", {0.35, 0.44, 0.45, 0.50, kNone, 0.78}},
    {"washwindow", {0.30, 0.47, 0.80, 1.01, kNone, 1.39}},
    {"mean", {0.32, 0.52, 0.86, 0.99, kNone, 1.55}},
};
const PublishedRow kCmuPlaceGcn[] = {
    {"basketball", {14.0, 25.4, 49.6, 61.4, kNone, 106.1}},
    {"basketball_signal", {3.5, 6.1, 11.7, 15.2, kNone, 53.9}},
    {"directing_traffic", {7.4, 15.1, 31.7, 42.2, kNone, 152.4}},
    {"jumping", {16.9, 34.4, 76.3, 96.8, kNone, 164.6}},
    {"running", {25.5, 36.7, 39.3, 39.9, kNone, 58.2}},
    {"soccer", {11.3, 21.5, 44.2, 55.8, kNone, 117.5}},
    {"walking", {7.7, 11.8, 19.4, 23.1, kNone, 40.2}},
    {"washwindow", {5.9, 11.9, 30.3, 40.0, kNone, 79.3}},
    {"mean", {11.5, 20.4, 37.8, 46.8, kNone, 96.5}},
};
const PublishedRow kCmuPlaceConv[] = {
    {"basketball", {16.7, 30.5, 53.8, 64.3, kNone, 91.5}},
    {"basketball_signal", {8.4, 16.2, 30.8, 37.8, kNone, 76.5}},
    {"directing_traffic", {10.6, 20.3, 38.7, 48.4, kNone, 115.5}},
    {"jumping", {22.4, 44.0, 87.5, 106.3, kNone, 162.6}},
    {"running", {14.3, 16.3, 18.0, 20.2, kNone, 27.5}},
    {"soccer", {12.1, 21.8, 41.9, 52.9, kNone, 94.6}},
    {"walking", {7.6, 12.5, 23.0, 27.5, kNone, 49.8}},
    {"washwindow", {8.2, 15.9, 32.1, 39.9, kNone, 58.9}},
    {"mean", {12.5, 22.2, 40.7, 49.7, kNone, 84.6}},
};
const PublishedRow kCmuAngleAgain[] = {{"mean", {0.26, 0.41, 0.72, 0.84, kNone, 1.35}}};
const PublishedRow kCmuPlaceAgain[] = {{"mean", {11.3, 19.8, 36.9, 45.5, kNone, 92.7}}};
const PublishedRow kH36mAngleGcn[] = {
    {"walking", {0.18, 0.31, 0.49, 0.56, kNone, kNone}},
    {"eating", {0.16, 0.29, 0.50, 0.62, kNone, kNone}},
    {"smoking", {0.22, 0.41, 0.86, 0.80, kNone, kNone}},
    {"discussion", {0.20, 0.51, 0.77, 0.85, kNone, kNone}},
    {"directions", {0.26, 0.45, 0.71, 0.79, kNone, kNone}},
    {"greeting", {0.36, 0.60, 0.95, 1.13, kNone, kNone}},
    {"phoning", {0.53, 1.02, 1.35, 1.48, kNone, kNone}},
    {"posing", {0.19, 0.44, 1.01, 1.24, kNone, kNone}},
    {"purchases", {0.43, 0.65, 1.05, 1.13, kNone, kNone}},
    {"sitting", {0.29, 0.45, 0.80, 0.97, kNone, kNone}},
    {"sittingdown", {0.30, 0.61, 0.90, 1.00, kNone, kNone}},
    {"takingphoto", {0.14, 0.34, 0.58, 0.70, kNone, kNone}},
    {"waiting", {0.23, 0.50, 0.91, 1.14, kNone, kNone}},
    {"walkingdog", {0.46, 0.79, 1.12, 1.29, kNone, kNone}},
    {"walkingtogether", {0.15, 0.34, 0.52, 0.57, kNone, kNone}},
    {"mean", {0.27, 0.51, 0.83, 0.95, kNone, kNone}},
};
const PublishedRow kH36mAngleConv[] = {
    {"walking", {0.33, 0.54, 0.68, 0.73, kNone, kNone}},
    {"eating", {0.22, 0.36, 0.58, 0.71, kNone, kNone}},
    {"smoking", {0.26, 0.49, 0.96, 0.92, kNone, kNone}},
    {"discussion", {0.32, 0.67, 0.94, 1.01, kNone, kNone}},
    {"directions", {0.39, 0.60, 0.80, 0.91, kNone, kNone}},
    {"greeting", {0.51, 0.82, 1.21, 1.38, kNone, kNone}},
    {"phoning", {0.59, 1.13, 1.51, 1.65, kNone, kNone}},
    {"posing", {0.29, 0.60, 1.12, 1.37, kNone, kNone}},
    {"purchases", {0.63, 0.91, 1.19, 1.29, kNone, kNone}},
    {"sitting", {0.39, 0.61, 1.02, 1.18, kNone, kNone}},
    {"sittingdown", {0.41, 0.78, 1.16, 1.31, kNone, kNone}},
    {"takingphoto", {0.23, 0.49, 0.88, 1.06, kNone, kNone}},
    {"waiting", {0.30, 0.62, 1.09, 1.30, kNone, kNone}},
    {"walkingdog", {0.59, 1.00, 1.32, 1.44, kNone, kNone}},
    {"walkingtogether", {0.27, 0.52, 0.71, 0.74, kNone, kNone}},
    {"mean", {0.38, 0.68, 1.01, 1.13, kNone, kNone}},
};
const PublishedRow kH36mPlaceGcn[] = {
    {"walking", {8.9, 15.7, 29.2, 33.4, kNone, kNone}},
    {"eating", {8.8, 18.9, 39.4, 47.2, kNone, kNone}},
    {"smoking", {7.8, 14.9, 25.3, 28.7, kNone, kNone}},
    {"discussion", {9.8, 22.1, 39.6, 44.1, kNone, kNone}},
    {"directions", {12.6, 24.4, 48.2, 58.4, kNone, kNone}},
    {"greeting", {14.5, 30.5, 74.2, 89.0, kNone, kNone}},
    {"phoning", {11.5, 20.2, 37.9, 43.2, kNone, kNone}},
    {"posing", {9.4, 23.9, 66.2, 82.9, kNone, kNone}},
    {"purchases", {19.6, 38.5, 64.4, 72.2, kNone, kNone}},
    {"sitting", {10.7, 24.6, 50.6, 62.0, kNone, kNone}},
    {"sittingdown", {11.4, 27.6, 56.4, 67.6, kNone, kNone}},
    {"takingphoto", {6.8, 15.2, 38.2, 49.6, kNone, kNone}},
    {"waiting", {9.5, 22.0, 57.5, 73.9, kNone, kNone}},
    {"walkingdog", {32.2, 58.0, 102.2, 122.7, kNone, kNone}},
    {"walkingtogether", {8.9, 18.4, 35.3, 44.3, kNone, kNone}},
    {"mean", {12.1, 25.0, 51.0, 61.3, kNone, kNone}},
};
const PublishedRow kH36mPlaceConv[] = {
    {"walking", {17.1, 31.2, 53.8, 61.5, kNone, kNone}},
    {"eating", {13.7, 25.9, 52.5, 63.3, kNone, kNone}},
    {"smoking", {11.1, 21.0, 33.4, 38.3, kNone, kNone}},
    {"discussion", {18.9, 39.3, 67.7, 75.7, kNone, kNone}},
    {"directions", {22.0, 37.2, 59.6, 73.4, kNone, kNone}},
    {"greeting", {24.5, 46.2, 90.0, 103.1, kNone, kNone}},
    {"phoning", {17.2, 29.7, 53.4, 61.3, kNone, kNone}},
    {"posing", {16.1, 35.6, 86.2, 105.6, kNone, kNone}},
    {"purchases", {29.4, 54.9, 82.2, 93.0, kNone, kNone}},
    {"sitting", {19.8, 42.4, 77.0, 88.4, kNone, kNone}},
    {"sittingdown", {17.1, 34.9, 66.3, 77.7, kNone, kNone}},
    {"takingphoto", {14.0, 27.2, 53.8, 66.2, kNone, kNone}},
    {"waiting", {17.9, 36.5, 74.9, 90.7, kNone, kNone}},
    {"walkingdog", {40.6, 74.7, 116.6, 138.7, kNone, kNone}},
    {"walkingtogether", {15.0, 29.9, 54.3, 65.8, kNone, kNone}},
    {"mean", {19.6, 37.8, 68.1, 80.2, kNone, kNone}},
};
const PublishedRow kLongAngleConv[] = {
    {"walking", {kNone, kNone, kNone, kNone, kNone, 0.92}},
    {"eating", {kNone, kNone, kNone, kNone, kNone, 1.24}},
    {"smoking", {kNone, kNone, kNone, kNone, kNone, 1.62}},
    {"discussion", {kNone, kNone, kNone, kNone, kNone, 1.86}},
    {"mean", {kNone, kNone, kNone, kNone, kNone, 1.41}},
};
const PublishedRow kLongAngleGcn[] = {
    {"walking", {kNone, kNone, kNone, kNone, 0.65, 0.67}},
    {"eating", {kNone, kNone, kNone, kNone, 0.76, 1.12}},
    {"smoking", {kNone, kNone, kNone, kNone, 0.87, 1.57}},
    {"discussion", {kNone, kNone, kNone, kNone, 1.33, 1.70}},
    {"mean", {kNone, kNone, kNone, kNone, 0.90, 1.27}},
};
const PublishedRow kLongAngleFgnn[] = {
    {"walking", {kNone, kNone, kNone, kNone, 0.67, 0.70}},
    {"eating", {kNone, kNone, kNone, kNone, 0.76, 1.12}},
    {"smoking", {kNone, kNone, kNone, kNone, 0.88, 1.57}},
    {"discussion", {kNone, kNone, kNone, kNone, 1.35, 1.70}},
    {"mean", {kNone, kNone, kNone, kNone, 0.91, 1.27}},
};
const PublishedRow kLongPlaceGcnAngles[] = {
    {"walking", {kNone, kNone, kNone, kNone, 55.0, 60.8}},
    {"eating", {kNone, kNone, kNone, kNone, 68.1, 79.5}},
    {"smoking", {kNone, kNone, kNone, kNone, 42.2, 70.6}},
    {"discussion", {kNone, kNone, kNone, kNone, 93.8, 119.7}},
    {"mean", {kNone, kNone, kNone, kNone, 64.8, 82.6}},
};
const PublishedRow kLongPlaceFgnn[] = {
    {"walking", {kNone, kNone, kNone, kNone, 44.1, 53.5}},
    {"eating", {kNone, kNone, kNone, kNone, 59.5, 73.0}},
    {"smoking", {kNone, kNone, kNone, kNone, 33.0, 61.9}},
    {"discussion", {kNone, kNone, kNone, kNone, 86.9, 113.5}},
    {"mean", {kNone, kNone, kNone, kNone, 55.9, 75.5}},
};
const PublishedRow kLongPlaceConv[] = {
    {"walking", {kNone, kNone, kNone, kNone, 59.2, 71.3}},
    {"eating", {kNone, kNone, kNone, kNone, 66.5, 85.4}},
    {"smoking", {kNone, kNone, kNone, kNone, 42.0, 67.9}},
    {"discussion", {kNone, kNone, kNone, kNone, 84.1, 116.9}},
    {"mean", {kNone, kNone, kNone, kNone, 62.9, 85.4}},
};
const PublishedRow kLongPlaceGcn[] = {
    {"walking", {kNone, kNone, kNone, kNone, 42.3, 51.3}},
    {"eating", {kNone, kNone, kNone, kNone, 56.5, 68.6}},
    {"smoking", {kNone, kNone, kNone, kNone, 32.3, 60.5}},
    {"discussion", {kNone, kNone, kNone, kNone, 70.5, 103.5}},
    {"mean", {kNone, kNone, kNone, kNone, 50.4, 71.0}},
};
// clang-format on

template <std::size_t n>
Published published(const char* dataset, Form form, const char* method, bool longer,
                    const PublishedRow (&rows)[n]) {
  return {dataset, form, method, longer, {std::begin(rows), std::end(rows)}};
}

}  // namespace

const std::vector<Published>& published_figures() {
  constexpr Form a = Form::angle, p = Form::position;
  static const std::vector<Published> all{
      published("cmu", a, "convSeq2Seq", false, kCmuAngleConv),
      published("cmu", a, "GCN", false, kCmuAngleGcn),
      published("cmu", a, "GCN, authors' re-runs", false, kCmuAngleAgain),
      published("cmu", p, "convSeq2Seq", false, kCmuPlaceConv),
      published("cmu", p, "GCN", false, kCmuPlaceGcn),
      published("cmu", p, "GCN, authors' re-runs", false, kCmuPlaceAgain),
      published("h36m", a, "convSeq2Seq", false, kH36mAngleConv),
      published("h36m", a, "GCN", false, kH36mAngleGcn),
      published("h36m", p, "convSeq2Seq", false, kH36mPlaceConv),
      published("h36m", p, "GCN", false, kH36mPlaceGcn),
      published("h36m", a, "convSeq2Seq", true, kLongAngleConv),
      published("h36m", a, "GCN", true, kLongAngleGcn),
      published("h36m", a, "FGNN", true, kLongAngleFgnn),
      published("h36m", p, "convSeq2Seq", true, kLongPlaceConv),
      published("h36m", p, "GCN, trained on angles", true, kLongPlaceGcnAngles),
      published("h36m", p, "GCN", true, kLongPlaceGcn),
      published("h36m", p, "FGNN", true, kLongPlaceFgnn)};
  return all;
}

}  // namespace fgnn::motion
